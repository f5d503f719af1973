// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { plainParagraphs } from '../../text/plain-paragraphs.ts';
import { Markdown } from './Markdown.tsx';
import { readLink } from './SafeLink.tsx';

afterEach(cleanup);

const show = (text: string, isStreaming = false) =>
  render(<Markdown text={text} isStreaming={isStreaming} />).container;

test('DT30: HTML in a message is text, and nothing of it becomes an element', () => {
  const html =
    '<script>window.pwned = 1</script>\n\n<img src=x onerror="window.pwned = 1">\n\na <b>bold</b> <style>*{display:none}</style> <iframe srcdoc="x"></iframe>';
  for (const isStreaming of [false, true]) {
    const box = show(html, isStreaming);
    expect(box.querySelector('script, img, style, iframe, b')).toBeNull();
    expect(box.textContent).toContain('<script>window.pwned = 1</script>');
    expect(box.textContent).toContain('<img src=x onerror="window.pwned = 1">');
    expect(box.textContent).toContain('<b>bold</b>');
    cleanup();
  }
});

test('DT30: images are named and never fetched', () => {
  const box = show('![a pixel](https://evil.example/pixel.png) ![](data:image/png;base64,AAAA)');
  expect(box.querySelector('img')).toBeNull();
  expect(box.textContent).toContain('a pixel');
  expect(box.textContent).toContain('not loaded');
});

test('DT36: a link says where it goes and gives nothing away; other schemes stay text', () => {
  show(
    '[https://bank.example](https://evil.example/login) [run](javascript:alert(1)) [file](file:///etc/passwd) [data](data:text/html,x)',
  );
  const link = screen.getByRole('link');
  expect(link.getAttribute('href')).toBe('https://evil.example/login');
  expect(link.getAttribute('rel')).toBe('noopener noreferrer');
  expect(link.getAttribute('target')).toBe('_blank');
  expect(link.textContent).toContain('(evil.example)');
  expect(screen.getByText('run')).toBeDefined();
});

test('DT36: hosts are shown in the letters that are really in them', () => {
  expect(readLink('https://аpple.com/x')?.place).toBe('xn--pple-43d.com');
  expect(readLink('mailto:a@b.example')?.place).toBe('a@b.example');
  for (const href of [
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'JaVaScRiPt:x',
    'vbscript:x',
    'blob:x',
    'ftp://x',
    '/relative',
    '',
    undefined,
  ]) {
    expect(readLink(href)).toBeUndefined();
  }
});

test('DT30: Markdown is drawn while it streams: open fences and emphasis do not flicker into raw signs', () => {
  const box = show('Some **bold te', true);
  expect(box.querySelector('strong')?.textContent).toBe('bold te');
  cleanup();
  const fence = show('```ts\nconst a = 1', true);
  expect(fence.querySelector('[data-testid="code-block"]')?.textContent).toContain('const a = 1');
});

test('DT30: what hides in code is shown by its code', () => {
  const box = show('```\nrm \u202etxt.exe\n```');
  expect(box.textContent).toContain('U+202E');
});

test('DT30: a huge message shows its beginning and offers the rest', () => {
  const box = show(`${'word '.repeat(40_000)}END`);
  expect(box.textContent).not.toContain('END');
  expect(screen.getByRole('button').textContent).toBe('Show all 200,003 characters');
});

test('DT177: what is drawn without being parsed is drawn as if it were', () => {
  /** Its last paragraph is Markdown, so that all of it is parsed. */
  const parsed = (text: string) => [...show(`${text}\n\n*x*`).querySelectorAll('.prose > p')].slice(0, -1);
  const words = fc.array(fc.constantFrom(...'ab Z9.,:;-+=/()\'"%!\n'.split(''), '\n\n', '1. ', 'é', '—', '漢'), {
    maxLength: 30,
  });
  let plain = 0;
  fc.assert(
    fc.property(words, (pieces) => {
      const text = pieces.join('');
      const paragraphs = plainParagraphs(text);
      if (paragraphs === undefined) return;
      plain++;
      expect(parsed(text).map(({ innerHTML }) => innerHTML)).toEqual(
        [...show(text).querySelectorAll('.prose > p')].map(({ innerHTML }) => innerHTML),
      );
      cleanup();
    }),
    { numRuns: 1_000 },
  );
  expect(plain).toBeGreaterThan(30);
});
