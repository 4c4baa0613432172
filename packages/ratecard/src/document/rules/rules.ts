// Lists the rules about relations between fields. Each function has a row in the rule table of the specification, or in the table of rules
// that Ratecard adds. A rule reads the whole document, reports all problems, never throws, and does not repeat issues of the schema check.
import type { Issue } from '../../base/errors/issue.ts'
import { attachedPrices } from './attached-price-rules.ts'
import { grantedCredits } from './credit-rules.ts'
import { amountsInSteps, chargeableAmounts, plausibleAmounts } from './amount-rules.ts'
import {
  atLeastOneProduct,
  dimensionsHaveTwoDecimals,
  uniqueCodes,
  uniqueEventNames,
  uniqueIds,
  uniqueLookupKeys,
  uniqueWebhookUrls,
  unreservedMetadata,
} from './document-rules.ts'
import { allowedCurrencies } from './currency-rules.ts'
import { draftOf, type Rule } from './draft.ts'
import {
  basePrice,
  enterpriseIsNeverPublic,
  oneDefaultPrice,
  oneEnterprisePricePerBase,
  templateOrEnterpriseId,
} from './enterprise-rules.ts'
import { featureMeters, productFeatures } from './feature-rules.ts'
import { percentOffBase } from './percent-rules.ts'
import { previousIds } from './previous-ids.ts'
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
import { oneDefaultPortal, portalNeedsPaymentMethod, portalProducts } from './portal-rules.ts'
import { oneKindOfTax, percentagesHaveFourDecimals, taxRatesOfSales } from './tax-rules.ts'
import { distinctWebhookEvents, knownWebhookEvents, webhookHasId, webhookUrl } from './webhook-rules.ts'

const rules: readonly Rule[] = [
  atLeastOneProduct,
  uniqueIds,
  uniqueLookupKeys,
  previousIds,
  uniqueEventNames,
  uniqueWebhookUrls,
  uniqueCodes,
  unreservedMetadata,
  featureMeters,
  productFeatures,
  dimensionsHaveTwoDecimals,
  allowedCurrencies,
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
  attachedPrices,
  grantedCredits,
  couponHasOneDiscount,
  couponCurrency,
  couponCurrencies,
  couponDuration,
  couponProducts,
  codeCoupon,
  codeCurrencies,
  minimumAmountCurrency,
  codeWithinCoupon,
  percentagesHaveFourDecimals,
  taxRatesOfSales,
  oneKindOfTax,
  portalProducts,
  portalNeedsPaymentMethod,
  oneDefaultPortal,
  webhookUrl,
  knownWebhookEvents,
  distinctWebhookEvents,
  webhookHasId,
  plausibleAmounts,
  chargeableAmounts,
  amountsInSteps,
]

/**
 * Returns the issues that all rules find in a document, which may be malformed. `most` is the maximum number of errors, and of warnings,
 * per rule.
 */
export function ruleIssues(document: unknown, most = Infinity): Issue[] {
  const draft = draftOf(document)
  return rules.flatMap((rule) => firstOf(rule(draft), most))
}

/**
 * Returns at most `most` errors and `most` warnings. Errors and warnings are counted separately, so that many warnings cannot hide an
 * error.
 */
function firstOf(issues: readonly Issue[], most: number): readonly Issue[] {
  if (issues.length <= most) return issues
  const left = { error: most, warning: most }
  return issues.filter(({ severity }) => left[severity]-- > 0)
}
