import { Page } from '../ui/basic.tsx'
export const Webhooks = () => <Page title="Webhooks"><p>…</p></Page>
