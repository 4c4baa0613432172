// Rules about relations between fields. Each function is a row of the rule table in the specification or in Ratecard's additions to it. A
// rule reads the whole document, reports all problems, never throws, and does not repeat issues of the shape check.
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
import { draftOf, type Rule } from './draft.ts'
import {
  basePrice,
  enterpriseIsNeverPublic,
  oneDefaultPrice,
  oneEnterprisePricePerBase,
  templateOrEnterpriseId,
} from './enterprise-rules.ts'
import { percentOffBase } from './percent-rules.ts'
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
  percentOffBase,
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

/** Returns the issues of all rules for any document, even a malformed one. `most` limits the number of errors and of warnings per rule. */
export function ruleIssues(document: unknown, most = Infinity): Issue[] {
  const draft = draftOf(document)
  return rules.flatMap((rule) => firstOf(rule(draft), most))
}

/** Returns at most `most` errors and `most` warnings. They are counted separately, so that many warnings cannot hide an error. */
function firstOf(issues: readonly Issue[], most: number): readonly Issue[] {
  if (issues.length <= most) return issues
  const left = { error: most, warning: most }
  return issues.filter(({ severity }) => left[severity]-- > 0)
}
