import { Page } from '../ui/basic.tsx'
export const RevisionPage = () => <Page title="RevisionPage"><p>…</p></Page>
