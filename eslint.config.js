import tseslint from 'typescript-eslint'

/** Pure rooms: same input, same answer. */
const pureRooms = [
  'base/errors',
  'base/money',
  'base/wording',
  'document',
  'catalog',
  'api',
  'store/records',
  'workers/cron',
].map((room) => `packages/ratecard/src/${room}/**`)

/** Where processes begin and end: these may read the environment, exit and print. */
const compositionRoot = [
  'packages/ratecard/src/server/composition/main.ts',
  'packages/ratecard/src/server/composition/escaped.ts',
  'packages/ratecard/src/cli/**',
]

const directive = /^\s*eslint-disable(?:-next-line|-line)?\b/
const described = /^\s*eslint-disable(?:-next-line|-line)?\s+[^\s-].*?\s--\s+\S/s
const typescriptDirective = /^\s*@ts-(?:ignore|nocheck)\b/

/** A silenced rule is named, and the reason stands beside it: `// eslint-disable-next-line rule -- why`. */
const describedDisable = {
  meta: {
    type: 'suggestion',
    messages: {
      described: 'Line {{line}}: name the rule and say why: `eslint-disable-next-line rule -- reason`.',
      typescript: 'Line {{line}}: use `@ts-expect-error` with a reason.',
    },
  },
  create: (context) => ({
    Program() {
      for (const comment of context.sourceCode.getAllComments()) {
        // Reported before the first line: a directive silences what comes after it, reports about itself included.
        const report = (messageId) => {
          context.report({ loc: { line: 0, column: 0 }, messageId, data: { line: comment.loc.start.line } })
        }
        if (directive.test(comment.value) && !described.test(comment.value)) report('described')
        if (typescriptDirective.test(comment.value)) report('typescript')
      }
    },
  }),
}

const environmentRead = {
  object: 'process',
  property: 'env',
  message: 'The environment is read once, at the composition root (settings.ts says what it means).',
}
const processExit = { object: 'process', property: 'exit', message: 'Only the composition root ends the process.' }
const wallClock = { object: 'Date', property: 'now', message: 'Time comes from Clock (clock.ts).' }
const chance = { object: 'Math', property: 'random', message: 'Randomness is injected, or comes from node:crypto.' }

/**
 * The rules, with or without those that need the compiler's types. The latter take five times as long, so every change is checked without
 * them and the second ring (`.ci/full`, eslint.types.config.js) with them.
 */
export const rules = ({ types }) =>
  tseslint.config(
    {
      ignores: [
        '**/dist/**',
        '**/bundle/**',
        '**/node_modules/**',
        'coverage/**',
        'test-results/**',
        '**/*.generated.ts',
        'test/fixtures/**',
        'docs/**',
        // Text that init copies, and projects of their own: checked where they are compiled (init.slow.test.ts, scripts/docs/examples.ts).
        'packages/ratecard/templates/**',
        'examples/**',
      ],
    },
    // Only with types does a directive that silences a rule of types silence anything.
    { linterOptions: { reportUnusedDisableDirectives: types ? 'error' : 'off' } },
    ...(types ? tseslint.configs.strictTypeChecked : tseslint.configs.strict),
    {
      plugins: { ours: { rules: { 'described-disable': describedDisable } } },
      languageOptions: {
        parserOptions: types
          ? { project: ['packages/*/tsconfig.json', 'test/tsconfig.json'], tsconfigRootDir: import.meta.dirname }
          : {},
      },
      rules: {
        'ours/described-disable': 'error',
        '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
        '@typescript-eslint/consistent-type-imports': 'error',
        '@typescript-eslint/no-floating-promises': 'error',
        // A number in a template is what it looks like; objects and undefined are not.
        '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
        '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
        '@typescript-eslint/no-unused-vars': [
          'error',
          { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrorsIgnorePattern: '^_' },
        ],
        // Both are promises at the edges (fastify handlers, ports): `async` without `await` turns a throw into a rejection there.
        '@typescript-eslint/require-await': 'off',
        // An assertion of presence is fine where the line before made it so; `as` and `any` are not loosened.
        '@typescript-eslint/no-non-null-assertion': 'off',
        '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
        eqeqeq: 'error',
        'no-console': 'error',
        'no-eval': 'error',
        'no-param-reassign': 'error',
        'object-shorthand': 'error',
        'prefer-const': 'error',
        // A question for the review, not a wall: is this still one thought?
        'max-lines': ['warn', { max: 500 }],
      },
    },
    {
      files: ['packages/*/src/**'],
      ignores: compositionRoot,
      rules: { 'no-restricted-properties': ['error', environmentRead, processExit, chance] },
    },
    {
      files: ['packages/{ratecard,sandbox}/src/**'],
      ignores: [...compositionRoot, 'packages/sandbox/src/clock.ts', 'packages/ratecard/src/base/clock.ts'],
      rules: { 'no-restricted-properties': ['error', environmentRead, processExit, chance, wallClock] },
    },
    {
      files: pureRooms,
      rules: { 'no-restricted-globals': ['error', 'process', 'fetch', 'setTimeout', 'setInterval', 'performance'] },
    },
    {
      // Tests look into parsed JSON, and vitest's matchers are typed `any` by design: a wrong guess there fails the test anyway.
      files: ['test/**'],
      rules: {
        '@typescript-eslint/no-unsafe-assignment': 'off',
        '@typescript-eslint/no-unsafe-member-access': 'off',
        '@typescript-eslint/no-unsafe-argument': 'off',
        '@typescript-eslint/no-unsafe-return': 'off',
        '@typescript-eslint/unbound-method': 'off',
      },
    },
    {
      files: ['scripts/**', 'packages/*/build.mjs', 'bench/**', 'test/support/reporter.ts', ...compositionRoot],
      rules: { 'no-console': 'off' },
    },
    { files: ['**/*.js', '**/*.mjs', '**/*.cjs'], ...tseslint.configs.disableTypeChecked },
    { files: ['**/*.cjs'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
    ...(types ? [] : [tseslint.configs.disableTypeChecked]),
  )

export default rules({ types: false })
