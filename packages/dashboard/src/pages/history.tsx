import { Page } from '../ui/basic.tsx'
export const HistoryPage = () => <Page title="HistoryPage"><p>…</p></Page>
