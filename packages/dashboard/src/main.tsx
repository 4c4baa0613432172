import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { readDocument } from './live.ts'
import { publicPrices } from './pages/prices.tsx'
import { ownKey } from './session.ts'
import './styles/app.css'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no root')
await readDocument([ownKey, publicPrices])
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
