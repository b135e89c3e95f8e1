'use strict';

/*
 * The first file of `npm start`, in a JavaScript that any Node can read: it refuses a Node that is too old and a folder
 * without its packages in a sentence, where everything after it would fail with a stack. Then it starts
 * `scripts/start.ts` with the Node that `npm ci` installed.
 */

var childProcess = require('child_process');
var fs = require('fs');
var path = require('path');

var ROOT = path.join(__dirname, '..');
process.chdir(ROOT);

function refuse(sentence) {
  console.error('Bureau did not start: ' + sentence);
  process.exit(1);
}

function readPackage(folder) {
  var file = path.join(folder, 'package.json');
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined;
}

/** Whether a version such as 22.12.0 is at least another. */
function isAtLeast(version, least) {
  var have = version.split('.').map(Number);
  var want = least.split('.').map(Number);
  for (var place = 0; place < 3; place += 1) {
    if (have[place] !== want[place]) return have[place] > want[place];
  }
  return true;
}

/** The packages that package.json pins and node_modules lacks, or has in another version. */
function listMissing(pinned) {
  return Object.keys(pinned).filter(function (name) {
    var installed = readPackage(path.join('node_modules', name));
    return installed === undefined || installed.version !== pinned[name].replace(/^.*@/, '');
  });
}

var own = readPackage('.');
var least = own.engines.node.replace('>=', '');
if (!isAtLeast(process.versions.node, least)) {
  refuse('this is Node ' + process.versions.node + ', and Bureau needs Node ' + least + ' or later.');
}
if (!fs.existsSync('node_modules')) refuse('its packages are not installed yet. Run: npm ci');
var missing = listMissing(Object.assign({}, own.dependencies, own.devDependencies));
if (missing.length > 0) {
  refuse('the installed packages are not those of package.json (' + missing[0] + ' is another). Run: npm ci');
}

if (process.features.typescript) {
  module.exports = require('./start.ts');
} else {
  var node = path.join('node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  var words = [path.join('scripts', 'start.ts')].concat(process.argv.slice(2));
  var child = childProcess.spawn(node, words, { stdio: 'inherit' });
  ['SIGINT', 'SIGTERM'].forEach(function (signal) {
    process.on(signal, function () {
      child.kill(signal);
    });
  });
  child.on('exit', function (code) {
    process.exit(code === null ? 1 : code);
  });
}
