import { listing, retrieve, type Operation } from '../../protocol/operation.ts'
import { range, text } from '../../protocol/parameters/params.ts'

const base = '/v1/balance_transactions'
const of = 'balance_transaction'

export const balanceTransactions: readonly Operation[] = [
  listing(base, of, { created: range(), currency: text(), source: text(), type: text() }),
  retrieve(`${base}/:id`, of),
]
