import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessibilityFaults } from './support/accessibility.ts';
import { DESKTOP, launchChromium, openPage, PHONE } from './support/chromium.ts';
import { watchMainThread } from './support/main-thread.ts';
import { fixtureAgent, Product } from './support/product.ts';

const product = new Product();
let browser: Browser;
let page: Page;
let offences: readonly string[];

beforeAll(async () => {
  browser = await launchChromium();
  const up = product.start(['up', '--no-window', '--', ...fixtureAgent('says-much.mjs')], {
    home: product.home('home'),
  });
  for (const part of ['relay', 'agent', 'desktop']) await up.ready(part);
  const { url = '' } = await up.ready('desktop');
  ({ page, offences } = await openPage(browser, url, DESKTOP));
  page.setDefaultTimeout(30_000);
  await openSession(page);
  for (let turn = 1; turn <= 3; turn++) await prompt(page, turnOf(turn), turn);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await product.close();
});

/** The same page in a phone's size and at night, and back. */
async function asPhone(on: Page, isPhone: boolean): Promise<void> {
  const { width, height, dark } = isPhone ? PHONE : DESKTOP;
  // A phone's lines are a sheet over the conversation.
  if ((await on.getByTestId('raw-rail').isVisible()) === isPhone) await on.getByTestId('toggle-lines').click();
  await on.setViewportSize({ width, height });
  await on.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
  if (isPhone && (await on.getByTestId('session').isHidden())) await on.getByTestId('session-row').first().click();
}

async function openSession(on: Page): Promise<void> {
  await on.getByTestId('session-row').first().click();
  await on.locator('[data-testid="session"][data-live="true"]').waitFor();
}

/** The longest that a task of the page may hold it up is 50 ms; caches that other programs empty get half of that more. */
const LONG_TASK_MS = 75;

/** Has the agent tell these updates, and waits until its turn is over on the screen. */
async function prompt(on: Page, updates: readonly object[], turn: number): Promise<void> {
  await on.getByTestId('composer').fill(JSON.stringify({ updates: [...updates, said(`that was turn ${turn}`)] }));
  await on.getByTestId('send').click();
  await on.getByText(`that was turn ${turn}`, { exact: true }).waitFor();
  await on.getByTestId('cancel').waitFor({ state: 'detached' });
}

const said = (text: string) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const call = (toolCallId: string, more: object) => ({
  sessionUpdate: 'tool_call',
  toolCallId,
  title: toolCallId,
  ...more,
});

/** A turn of many rows; in the first one something hidden in a folded output, something hostile in a title. */
function turnOf(turn: number): readonly object[] {
  const text = (words: string) => [{ type: 'content', content: { type: 'text', text: words } }];
  const output = `${'a line before\n'.repeat(30)}the wolpertinger of turn ${turn}\n${'a line after\n'.repeat(30)}`;
  const rows = Array.from({ length: 40 }, (_, n) =>
    call(`look-${turn}-${n}`, { kind: 'other', status: 'completed', title: `Looked at ${turn}.${n}` }),
  );
  const title = 'rm\u202e <img src=x onerror=alert(1)>';
  return [
    call(`run-${turn}`, {
      kind: 'execute',
      status: 'completed',
      rawInput: { command: 'make hay' },
      content: text(output),
    }),
    call(`odd-${turn}`, { kind: 'execute', status: 'completed', title, rawInput: { command: title } }),
    ...rows,
  ];
}

it('DT100 DT102: a word far up in a folded output is counted, jumped to, opened and marked, and nothing else is touched', async () => {
  await page.getByTestId('transcript').focus();
  await page.keyboard.press('/');
  await page.getByTestId('find-needle').fill('WOLPERTINGER of turn');
  const count = page.getByTestId('find-count');
  // Each stands in a prompt (which is JSON here), in the call's output, and nowhere else.
  await count.filter({ hasText: /^1 of 6$/ }).waitFor();
  for (const at of [2, 3, 4]) {
    await page.keyboard.press('Enter');
    await count.filter({ hasText: `${at} of 6` }).waitFor();
  }
  const found = page.locator('[data-testid="row"][data-found]');
  await found.getByText('the wolpertinger of turn 2').waitFor();
  const marked = () =>
    page.evaluate(() => [...(CSS.highlights.get('found-here') ?? [])].map((range) => (range as Range).toString()));
  await expect.poll(marked, { timeout: 20_000 }).toEqual(['wolpertinger of turn']);
  const box = await found.getByText('the wolpertinger of turn 2').boundingBox();
  expect(box?.y).toBeGreaterThan(0);
  await page.keyboard.press('Shift+Enter');
  await count.filter({ hasText: '3 of 6' }).waitFor();
  await page.getByTestId('find-needle').fill('<img src=x onerror');
  await count.filter({ hasText: /of 6$/ }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByTestId('find-needle').waitFor({ state: 'detached' });
  expect(offences).toEqual([]);
});

it('DT101: the lines are found by their exact text, opened, and lead to what became of them', async () => {
  await page.getByTestId('toggle-find-lines').click();
  await page.getByTestId('find-lines-needle').fill('"toolCallId":"look-1-7"');
  const count = page.getByTestId('find-lines-count');
  await count.filter({ hasText: '1 of 1' }).waitFor();
  const line = page.locator('[data-found] [data-testid="raw-line-open"]');
  await line.getByText('agent to client').waitFor();
  await line.getByRole('button', { name: 'Show what became of it' }).click();
  await page.getByTestId('row').getByText('Looked at 1.7', { exact: false }).first().waitFor();
  await page.getByTestId('find-lines-needle').fill('"TOOLCALLID"');
  await count.filter({ hasText: 'Nothing' }).waitFor();
  await page.getByTestId('find-lines-close').click();
  expect(offences).toEqual([]);
});

it('DT103 DT104 DT105 DT191: the past is dragged to, stepped, played up to now, and never taken for the present', async () => {
  await page.getByTestId('transcript').focus();
  await page.keyboard.press('t');
  const scrubber = page.getByTestId('scrubber');
  const length = async () => Number(await scrubber.getAttribute('data-length'));
  await expect.poll(length, { timeout: 20_000 }).toBeGreaterThan(100);
  // Where the second of three turns is under way.
  await page.getByTestId('scrubber-slider').fill(String(Math.round((await length()) / 2)));
  const band = page.getByTestId('past-band');
  await band.getByText('This is the past').waitFor();
  await page.getByText('that was turn 1', { exact: true }).waitFor();
  expect(await page.getByText('that was turn 3', { exact: true }).count()).toBe(0);
  expect(await page.getByTestId('composer').isEnabled()).toBe(true);
  const where = page.getByTestId('scrubber-where');
  const before = await where.textContent();
  await page.getByTestId('scrubber-slider').focus();
  await page.keyboard.press(']');
  await expect.poll(() => where.textContent()).not.toBe(before);
  // The number that is said is the one the line has in the lines.
  const marked = page.locator('.raw-line.marked').first();
  await expect
    .poll(async () => `line ${await marked.getAttribute('data-seq')} ·`)
    .toBe(`${(await where.textContent())?.split('·')[0]}·`);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByTestId('scrubber-speed').selectOption('32');
  await page.getByTestId('scrubber-play').click();
  await band.waitFor({ state: 'detached' });
  await page.getByText('that was turn 3', { exact: true }).waitFor();
  await page.getByTestId('scrubber-slider').fill('3');
  await band.waitFor();
  await marked.waitFor();
  await page.getByTestId('scrubber-live').click();
  await marked.waitFor({ state: 'detached' });
  const isAtEnd = () =>
    page.getByTestId('raw-lines').evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 32);
  await expect.poll(isAtEnd).toBe(true);
  await page.getByTestId('scrubber-slider').fill('3');
  await band.waitFor();
  await asPhone(page, true);
  const live = await page.getByTestId('back-to-live').boundingBox();
  expect((live?.x ?? 999) + (live?.width ?? 999)).toBeLessThanOrEqual(360);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByTestId('back-to-live').click();
  await band.waitFor({ state: 'detached' });
  await page.getByTestId('toggle-replay').click();
  await scrubber.waitFor({ state: 'detached' });
  await asPhone(page, false);
  expect(offences).toEqual([]);
});

it('DT106: a change of 50,000 lines is drawn, scrolled, split, unfolded and searched with no long task on the page', async () => {
  const diff = page.getByTestId('diff');
  await page.getByTestId('composer').fill(JSON.stringify({ change: 50_000 }));
  await page.getByTestId('send').click();
  await diff.getByText('+500 −500').waitFor();
  const { longestMs } = await watchMainThread(browser, page, async () => {
    await diff.getByText("let line50 = 'changed';").waitFor();
    const rows = page.getByTestId('diff-rows');
    await rows.evaluate((box) => {
      box.scrollTop = box.scrollHeight;
    });
    await diff.getByText("let line49950 = 'changed';").waitFor();
    await page.getByTestId('diff-split').click();
    await diff.locator('.diff-pair .added').first().waitFor();
    await diff.getByTestId('diff-unfold').first().click();
    await diff.getByText('const line30 = 30;').first().waitFor();
    await page.getByTestId('toggle-find').click();
    await page.getByTestId('find-needle').fill('line33350 =');
    await page.getByTestId('find-count').filter({ hasText: '1 of 1' }).waitFor();
    await diff.getByText("let line33350 = 'changed';").waitFor();
    await page.getByTestId('find-close').click();
  });
  expect(longestMs).toBeLessThan(LONG_TASK_MS);
  await page.getByTestId('diff-unified').click();
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(offences).toEqual([]);
});

it('DT108, DT109: answers take no press while they settle, and a call that got no leave says so', async () => {
  const ask = { toolCallId: 'danger', kind: 'execute', title: 'rm -rf /srv', rawInput: { command: 'rm -rf /srv' } };
  await page.getByTestId('composer').fill(JSON.stringify({ ask }));
  await page.getByTestId('send').click();
  const reject = page.locator('[data-testid="permission-option"][data-option-kind="reject_once"]');
  await reject.waitFor();
  // As if they had just come, and time stood still.
  await reject.evaluate((button: HTMLElement) => {
    button.style.animation = 'none';
    button.getBoundingClientRect();
    button.style.animation = '';
    for (const animation of button.getAnimations()) animation.pause();
  });
  const box = await reject.boundingBox();
  const press = () => page.mouse.click((box?.x ?? 0) + 20, (box?.y ?? 0) + 10);
  await press();
  expect(await page.getByTestId('control-progress').count()).toBe(0);
  await reject.evaluate((button) => {
    for (const animation of button.getAnimations()) animation.finish();
  });
  await press();
  const card = page.locator('[data-tool-call-id="danger"]');
  await card.filter({ hasText: 'rejected by you' }).waitFor();
  expect(await card.textContent()).toContain('Not run: rm -rf /srv');
  expect(offences).toEqual([]);
});

it('DT100: on a phone the field, its count and its ways stand in 360 pixels', async () => {
  await asPhone(page, true);
  await page.getByTestId('toggle-find').click();
  await page.getByTestId('find-needle').fill('wolpertinger');
  await page.getByTestId('find-count').filter({ hasText: 'of 6' }).waitFor();
  const close = await page.getByTestId('find-close').boundingBox();
  expect((close?.x ?? 999) + (close?.width ?? 999)).toBeLessThanOrEqual(360);
  expect(close?.height).toBeGreaterThanOrEqual(44);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByTestId('find-close').click();
  await asPhone(page, false);
  expect(offences).toEqual([]);
});
