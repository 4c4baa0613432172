import { Page } from '../ui/basic.tsx'
export const Jobs = () => <Page title="Jobs"><p>…</p></Page>
