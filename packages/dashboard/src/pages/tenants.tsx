import { Page } from '../ui/basic.tsx'
export const Tenants = () => <Page title="Tenants"><p>…</p></Page>
