import { describe, expect, it } from 'vitest';
import { versionGap } from './versions.ts';

describe('versions of two ends', () => {
  it('VI25: name the end that is older, the wire before the program', () => {
    const gap = (wire: number, version: string | undefined, theirWire: number, theirVersion: string | undefined) =>
      versionGap({ wire, version }, { wire: theirWire, version: theirVersion });
    expect(gap(1, '0.1.0', 1, '0.1.0')).toBeUndefined();
    expect(gap(1, '0.9.0', 1, '0.10.0')).toEqual({ older: 'ours', what: 'program' });
    expect(gap(1, '1.0.0-rc.1', 1, '0.10.0')).toEqual({ older: 'theirs', what: 'program' });
    expect(gap(1, '9.0.0', 2, '0.1.0')).toEqual({ older: 'ours', what: 'wire' });
    expect(gap(2, '0.1.0', 1, '0.1.0')).toEqual({ older: 'theirs', what: 'wire' });
    for (const unknown of [undefined, '', 'dev', '1.2', '1.2.3.4', '99999999999.0.0']) {
      expect(gap(1, '0.1.0', 1, unknown)).toBeUndefined();
      expect(gap(1, unknown, 1, '0.1.0')).toBeUndefined();
    }
  });
});
