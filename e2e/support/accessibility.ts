import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** Each fault that axe finds on the page as it is now, with the elements that have it. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`);
}
