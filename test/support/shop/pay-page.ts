/** Pays a checkout session of the sandbox on its page with a test card, as a customer does. */
export async function payPage(url: string | null): Promise<void> {
  const body = new URLSearchParams({ action: 'pay', email: 'buyer@example.test', number: '4242424242424242' })
  const paid = await fetch(url ?? '', { method: 'POST', body, redirect: 'manual' })
  if (paid.status !== 303) throw new Error(`the checkout was not paid: ${String(paid.status)} ${await paid.text()}`)
}
