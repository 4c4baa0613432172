import { Page } from '../ui/basic.tsx'
export const Workers = () => <Page title="Workers"><p>…</p></Page>
