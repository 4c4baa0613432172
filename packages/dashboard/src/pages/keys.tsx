import { Page } from '../ui/basic.tsx'
export const Keys = () => <Page title="Keys"><p>…</p></Page>
