// A stamp inside node_modules says for which lock, platform and Node ABI it was installed; `npm ci` wipes it with the rest.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const stampFile = (root) => join(root, 'node_modules', '.heliograph-stamp.json');

/** What an up-to-date node_modules is stamped with. */
export function currentStamp(root) {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  return JSON.stringify({ lock, platform: process.platform, arch: process.arch, abi: process.versions.modules });
}

export function isStamped(root, stamp) {
  return existsSync(stampFile(root)) && readFileSync(stampFile(root), 'utf8') === stamp;
}

export function writeStamp(root, stamp) {
  writeFileSync(stampFile(root), stamp);
}

/**
 * Whether what npm says it installed is what the lock asks for on this platform: someone who ran `npm ci` or
 * `npm install` by hand is not made to wait for it a second time.
 */
export function matchesLock(root) {
  const installedFile = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installedFile)) return false;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages;
  return samePackages(wanted, installed, process.platform, process.arch);
}

/** Compares the `packages` of a lock with those of npm's record of an installed tree. */
export function samePackages(wanted, installed, platform, arch) {
  const needed = Object.entries(wanted).filter(
    ([path, entry]) => path.includes('node_modules/') && !isForeign(entry, platform, arch),
  );
  return (
    needed.every(
      ([path, entry]) => (entry.optional && !entry.os && !installed[path]) || sameEntry(entry, installed[path]),
    ) && Object.keys(installed).every((path) => !path.includes('node_modules/') || path in wanted)
  );
}

function sameEntry(wanted, installed) {
  return installed !== undefined && wanted.version === installed.version && wanted.integrity === installed.integrity;
}

function isForeign(entry, platform, arch) {
  return !allows(entry.os, platform) || !allows(entry.cpu, arch) || entry.libc !== undefined;
}

function allows(list, name) {
  return list === undefined || list.includes(name) || (list[0].startsWith('!') && !list.includes(`!${name}`));
}
