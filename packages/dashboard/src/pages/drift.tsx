import { Page } from '../ui/basic.tsx'
export const Drift = () => <Page title="Drift"><p>…</p></Page>
