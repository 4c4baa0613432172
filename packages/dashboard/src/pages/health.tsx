import { Page } from '../ui/basic.tsx'
export const Health = () => <Page title="Health"><p>…</p></Page>
