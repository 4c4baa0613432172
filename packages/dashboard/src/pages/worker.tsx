import { Page } from '../ui/basic.tsx'
export const WorkerPage = () => <Page title="WorkerPage"><p>…</p></Page>
