// The default theme in the colours of the dashboard. Two pages have a layout of their own, because the theme's have no `main`: the landing
// page, and the page of an address that has none.
import { Content, withBase } from 'vitepress'
import DefaultTheme, { VPHomeFeatures, VPHomeHero } from 'vitepress/theme'
import { h } from 'vue'
import './style.css'

const Landing = () => h('main', [h(VPHomeHero), h(Content), h(VPHomeFeatures)])

const notFound = () =>
  h('main', { class: 'not-found vp-doc' }, [
    h('h1', 'This address has no page'),
    h('p', [
      'The search finds the others, and so does ',
      h('a', { href: withBase('/contents.html') }, 'the list of all pages'),
      '.',
    ]),
  ])

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'not-found': notFound }),
  enhanceApp: ({ app }) => {
    app.component('Landing', Landing)
  },
}
