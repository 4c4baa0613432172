// Features and limits of a product on the price list, e.g. `10 projects`.
import type { BillingDocument, ProductDocument } from '@ratecard/client'
import { limitWords } from '../../words/words.ts'
import { Text } from '../text.tsx'

interface Props {
  readonly product: ProductDocument
  readonly features: NonNullable<BillingDocument['features']>
}

export function ProductLimits({ product, features }: Props) {
  const texts = (product.features ?? []).flatMap((entry) => {
    const id = typeof entry === 'string' ? entry : entry.id
    const feature = features.find((one) => one.id === id)
    if (feature === undefined) return []
    return [typeof entry === 'string' ? feature.name : limitWords(entry, feature, product.unit_label)]
  })
  if (texts.length === 0) return null
  return (
    <ul className="small features" aria-label="Features and limits">
      {texts.map((text) => (
        <li key={text}>
          <Text>{text}</Text>
        </li>
      ))}
    </ul>
  )
}
