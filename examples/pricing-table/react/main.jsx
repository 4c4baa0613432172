import '@ratecard/pricing-table'
import { useEffect, useRef, useState } from 'react'
import { createRoot } from 'react-dom/client'

function Prices() {
  const table = useRef(null)
  const [chosen, setChosen] = useState('')
  useEffect(() => {
    const element = table.current
    const choose = ({ detail }) => setChosen(`${detail.quantity} × ${detail.price_id} in ${detail.currency}`)
    element.addEventListener('ratecard-select', choose)
    return () => element.removeEventListener('ratecard-select', choose)
  }, [])
  return (
    <>
      <h1>Prices</h1>
      <ratecard-pricing-table ref={table} src="http://127.0.0.1:4242" theme="plain">
        <p>Loading …</p>
      </ratecard-pricing-table>
      <p id="chosen" role="status">
        {chosen}
      </p>
    </>
  )
}

createRoot(document.querySelector('#app')).render(<Prices />)
