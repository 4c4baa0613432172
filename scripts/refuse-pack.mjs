// The `prepack` of the published packages. npm would make another tarball in their folders than the one that is released: without
// the packages that `ratecard` carries, and with dependencies that are in its bundle already.
process.stderr.write(
  'npm pack and npm publish do not work in the folder of a package: the tarball would not be the one that is released.\n' +
    'Run `npm run build && npm run pack` in the root of the repository; it prints the tarballs, and `npm publish <tarball>` takes them.\n',
)
process.exitCode = 1
