// The `prepack` script of the published packages: refuses to pack in a package's own folder. There npm would create a wrong tarball,
// without the packages that `ratecard` contains and with dependencies that are already inlined in its bundle.
process.stderr.write(
  'npm pack and npm publish do not work in the folder of a package: the tarball would not be the one that is released.\n' +
    'Run `npm run build && npm run pack` in the root of the repository; it prints the tarballs, and `npm publish <tarball>` takes them.\n',
)
process.exitCode = 1
