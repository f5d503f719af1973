const least = [20, 19];

/** The sentence to show when this Node is too old, else undefined. `version` is like "20.19.0". */
export function nodeVersionProblem(version, executable) {
  const [major, minor] = version.split('.').map(Number);
  if (major > least[0] || (major === least[0] && minor >= least[1])) return undefined;
  return `Node.js ${least.join('.')} or newer is needed, but ${executable} is ${version}. Install a newer one from https://nodejs.org or with your version manager (nvm install 22).`;
}
