import { Page } from '../ui/basic.tsx'
export const TenantPage = () => <Page title="TenantPage"><p>…</p></Page>
