import { Type, type TObject } from 'typebox'
import { closed, UiFeatures, UiText } from './fields.ts'

const localePattern = '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$'

/** Plural forms of a noun by the categories of Unicode, e.g. `one` and `other` in English, `one`, `few`, `many` and `other` in Polish. */
const Unit = Type.Object(
  {
    zero: Type.Optional(UiText('Plural form of the category `zero`, which some languages have, e.g. for 0 in Arabic.')),
    one: Type.Optional(UiText('Form for one, e.g. `1 project`.', 'Platz')),
    two: Type.Optional(UiText('Plural form of the category `two`, which some languages have, e.g. for 2 in Arabic.')),
    few: Type.Optional(
      UiText('Plural form of the category `few`, which some languages have, e.g. for 2 to 4 in Polish.'),
    ),
    many: Type.Optional(
      UiText('Plural form of the category `many`, which some languages have, e.g. for 5 to 21 in Polish.'),
    ),
    other: UiText('Plural form for all other numbers.', 'Plätze'),
  },
  { ...closed, description: 'Plural forms of one unit of the product, in place of `unit_label`.' },
)

const translationsOf = <Texts extends TObject>(texts: Texts) =>
  Type.Record(Type.String({ pattern: localePattern }), texts, {
    ...closed,
    maxProperties: 100,
    description: `Texts by language, e.g. \`de\` or \`pt-BR\`: ${Object.keys(texts.properties).join(', ')}. A text that a language does not have stays as it is.`,
  })

const ProductTexts = Type.Object(
  {
    display_name: Type.Optional(UiText('Name for customers.', 'Atelier')),
    tagline: Type.Optional(UiText('One line under the name.', 'Für Teams')),
    badge: Type.Optional(UiText('Short label on the card.', 'Am beliebtesten')),
    cta_text: Type.Optional(UiText('Label of the button.', 'Atelier wählen')),
    features: Type.Optional(UiFeatures),
    unit: Type.Optional(Unit),
  },
  { ...closed, description: 'Texts of the product in one language.' },
)

const PriceTexts = Type.Object(
  {
    display_name: Type.Optional(UiText('Name of the price for customers.', 'Jährlich')),
    billing_period: Type.Optional(UiText('Label of the period.', 'pro Monat')),
    custom_text: Type.Optional(UiText('Shown instead of the amount.', 'Auf Anfrage')),
    suffix: Type.Optional(UiText('Shown after the amount.', ' (2 Monate gratis)')),
    features: Type.Optional(UiFeatures),
    limits: Type.Optional(
      Type.Array(UiText('Text of the limit.', '25 Plätze'), {
        description: 'Texts of the limits, in the order of the price’s limits.',
      }),
    ),
    unit: Type.Optional(Unit),
  },
  { ...closed, description: 'Texts of the price in one language.' },
)

export const ProductUi = Type.Object(
  {
    display_name: Type.Optional(UiText('Name for customers, when it differs from `name`.', 'Studio')),
    tagline: Type.Optional(UiText('One line under the name.', 'For one writer')),
    badge: Type.Optional(UiText('Short label on the card.', 'Most popular')),
    highlighted: Type.Optional(Type.Boolean({ description: 'Whether the product is highlighted.' })),
    cta_text: Type.Optional(UiText('Label of the button.', 'Start writing')),
    sort_order: Type.Optional(Type.Integer({ description: 'Products are shown in ascending order.', examples: [1] })),
    features: Type.Optional(UiFeatures),
    translations: Type.Optional(translationsOf(ProductTexts)),
  },
  { ...closed, description: 'Display hints. They are not sent to the processor.' },
)

const PriceDisplay = Type.Object(
  {
    custom_text: Type.Optional(UiText('Shown instead of the amount.', 'Ask us')),
    show_currency: Type.Optional(Type.Boolean({ description: 'Whether the currency is displayed.' })),
    suffix: Type.Optional(UiText('Shown after the amount.', ' (2 months free)')),
  },
  { ...closed, description: 'How the amount is shown.' },
)

const Limit = Type.Object(
  {
    text: Type.Optional(UiText('Text of the limit.', '25 editors')),
    value: Type.Optional(Type.Number({ description: 'The limit as a number. Display only; never money.' })),
    unit: Type.Optional(UiText('What the limit counts, e.g. `projects`.', 'editors')),
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
    translations: Type.Optional(translationsOf(PriceTexts)),
  },
  { ...closed, description: 'Display hints. They are not sent to the processor.' },
)
