import { Page } from '../ui/basic.tsx'
export const JobPage = () => <Page title="JobPage"><p>…</p></Page>
