import { Page } from '../ui/basic.tsx'
export const CoveragePage = () => <Page title="CoveragePage"><p>…</p></Page>
