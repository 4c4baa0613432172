// HTML of the frame that is visible before any script runs. The build renders it.
import { renderToStaticMarkup } from 'react-dom/server'
import { Router } from 'wouter'
import { Frame } from './frame/frame.tsx'
import { base } from './frame/menu.ts'
import { Loading } from './ui/basic.tsx'

export const shell = () =>
  renderToStaticMarkup(
    <Router base={base} ssrPath={base}>
      <Frame>
        <Loading />
      </Frame>
    </Router>,
  )
