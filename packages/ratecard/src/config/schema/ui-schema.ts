import { Type } from 'typebox'
import { closed, UiFeatures, UiText } from './fields.ts'

export const ProductUi = Type.Object(
  {
    display_name: Type.Optional(UiText('Name for customers, when it differs from `name`.', 'Studio')),
    tagline: Type.Optional(UiText('One line under the name.', 'For one writer')),
    badge: Type.Optional(UiText('Short label on the card.', 'Most popular')),
    highlighted: Type.Optional(Type.Boolean({ description: 'Draw attention to this product.' })),
    cta_text: Type.Optional(UiText('Label of the button.', 'Start writing')),
    sort_order: Type.Optional(Type.Integer({ description: 'Products are shown in ascending order.', examples: [1] })),
    features: Type.Optional(UiFeatures),
  },
  { ...closed, description: 'Display hints. They are not sent to the processor.' },
)

const PriceDisplay = Type.Object(
  {
    custom_text: Type.Optional(UiText('Shown instead of the amount.', 'Ask us')),
    show_currency: Type.Optional(Type.Boolean({ description: 'Whether the currency is shown.' })),
    suffix: Type.Optional(UiText('Shown after the amount.', ' (2 months free)')),
  },
  { ...closed, description: 'How the amount is shown.' },
)

const Limit = Type.Object(
  {
    text: Type.Optional(UiText('The limit as shown.', '25 editors')),
    value: Type.Optional(Type.Number({ description: 'The limit as a number. Display only; never money.' })),
    unit: Type.Optional(UiText('What is counted.', 'editors')),
  },
  { ...closed, description: 'One limit of the plan.' },
)

export const PriceUi = Type.Object(
  {
    display_name: Type.Optional(UiText('Name of the price for customers.', 'Yearly')),
    billing_period: Type.Optional(UiText('Label of the period.', 'per month')),
    price_display: Type.Optional(PriceDisplay),
    features: Type.Optional(UiFeatures),
    limits: Type.Optional(Type.Array(Limit, { description: 'Limits of the plan, for display.' })),
  },
  { ...closed, description: 'Display hints. They are not sent to the processor.' },
)
