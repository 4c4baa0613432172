import '@ratecard/pricing-table'
import { createApp, h, ref } from 'vue'

// In a template: <ratecard-pricing-table src="…" theme="compact" @ratecard-select="choose" />
const Prices = {
  setup() {
    const chosen = ref('')
    const choose = ({ detail }) => {
      chosen.value = `${detail.quantity} × ${detail.price_id} in ${detail.currency}`
    }
    return () => [
      h('h1', 'Prices'),
      h('ratecard-pricing-table', { src: 'http://127.0.0.1:4242', theme: 'compact', onRatecardSelect: choose }),
      h('p', { id: 'chosen', role: 'status' }, chosen.value),
    ]
  },
}

createApp(Prices).mount('#app')
