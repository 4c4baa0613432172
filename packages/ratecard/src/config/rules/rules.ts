// What the fields of a document mean to each other: one function per row of the specification's rule table and of its elaboration.
// A rule sees the whole document, reports everything it finds, never throws, and never repeats what the shape check says.
import type { Issue } from '../../errors/issue.ts'
import { chargeableAmounts, plausibleAmounts } from './amount-rules.ts'
import {
  atLeastOneProduct,
  dimensionsHaveTwoDecimals,
  productFeatures,
  uniqueCodes,
  uniqueEventNames,
  uniqueIds,
  uniqueWebhookUrls,
  unreservedMetadata,
} from './document-rules.ts'
import { draftOf } from './draft.ts'
import type { Rule } from './draft.ts'
import {
  basePrice,
  enterpriseIsNeverPublic,
  oneDefaultPrice,
  oneEnterprisePricePerBase,
  templateOrEnterpriseId,
} from './enterprise-rules.ts'
import { previousIds } from '../schema/previous-ids.ts'
import {
  amountOrTiers,
  currencyOptionsFit,
  intervalAtMostThreeYears,
  intervalCountNeedsInterval,
  meterReference,
  pricePartsFit,
  recurringNeedsInterval,
  tieredHasTiers,
  tierHasAmount,
  tiersAscend,
} from './price-rules.ts'
import {
  codeCoupon,
  codeCurrencies,
  codeWithinCoupon,
  couponCurrencies,
  couponCurrency,
  couponDuration,
  couponHasOneDiscount,
  couponProducts,
  minimumAmountCurrency,
} from './promotion-rules.ts'
import { distinctWebhookEvents, knownWebhookEvents, webhookHasId, webhookUrl } from './webhook-rules.ts'

const rules: readonly Rule[] = [
  atLeastOneProduct,
  uniqueIds,
  previousIds,
  uniqueEventNames,
  uniqueWebhookUrls,
  uniqueCodes,
  unreservedMetadata,
  productFeatures,
  dimensionsHaveTwoDecimals,
  amountOrTiers,
  currencyOptionsFit,
  pricePartsFit,
  tieredHasTiers,
  tiersAscend,
  tierHasAmount,
  recurringNeedsInterval,
  intervalCountNeedsInterval,
  intervalAtMostThreeYears,
  meterReference,
  enterpriseIsNeverPublic,
  templateOrEnterpriseId,
  oneDefaultPrice,
  basePrice,
  oneEnterprisePricePerBase,
  couponHasOneDiscount,
  couponCurrency,
  couponCurrencies,
  couponDuration,
  couponProducts,
  codeCoupon,
  codeCurrencies,
  minimumAmountCurrency,
  codeWithinCoupon,
  webhookUrl,
  knownWebhookEvents,
  distinctWebhookEvents,
  webhookHasId,
  plausibleAmounts,
  chargeableAmounts,
]

/** What the rules have against a document, well-formed or not: of each rule at most so many errors, and as many warnings. */
export function ruleIssues(document: unknown, most = Infinity): Issue[] {
  const draft = draftOf(document)
  return rules.flatMap((rule) => firstOf(rule(draft), most))
}

/** Counted apart: warnings, however many, must not hide the error that makes a document invalid. */
function firstOf(issues: readonly Issue[], most: number): readonly Issue[] {
  if (issues.length <= most) return issues
  const left = { error: most, warning: most }
  return issues.filter(({ severity }) => left[severity]-- > 0)
}
