// A real shop sends the choice to its own server, which asks Ratecard for a checkout (see the example checkout-node).
addEventListener('ratecard-select', ({ detail }) => {
  const { quantity, price_id, currency } = detail
  document.querySelector('#chosen').textContent = `${quantity} × ${price_id} in ${currency}`
})
