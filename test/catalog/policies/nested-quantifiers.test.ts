import { describe, expect, it } from 'vitest'
import { hasNestedQuantifier } from '../../../packages/ratecard/src/catalog/policies/nested-quantifiers.ts'

describe('a pattern', () => {
  it.each([
    ...[
      '(a+)+$',
      '^(a*)*',
      '(a|b+)*c',
      '^([a-z]+_?)*$',
      '((a{2,3}))+',
      '(?:a+)+',
      '(?<name>a+){2,}',
      '(a+)*?',
      '(x(a+)y)+',
    ],
    ...['^(a?){30}$', '(\\d+)*', '((ab)*c)+', '(a(b)*)+'],
  ])('%s has a nested quantifier', (pattern) => {
    expect(hasNestedQuantifier(pattern)).toBe(true)
  })

  it.each([
    ...[
      '^[a-z][a-z0-9_]*$',
      '^(abc)+$',
      '(a|b)*',
      '(a{2})+',
      '(a+)?',
      'a+b+',
      '^(?=a)b*',
      '[(a+)]+',
      '\\(a+\\)+',
      '(\\))+',
    ],
    ...['(?:price|product)_[a-z]+', '^x{2}$', '[\\](a+]+', '(?!a)b+', 'a{2,3}b{4,}'],
  ])('%s has none', (pattern) => {
    expect(hasNestedQuantifier(pattern)).toBe(false)
  })
})
