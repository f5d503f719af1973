import { expect, it } from 'vitest';
import { landingPage } from './landing-page.ts';

it('RL36: names and URLs on the page are text, whatever they hold', () => {
  const page = landingPage({ name: '<script>alert("1")</script>', url: "ws://h/'&<b>" });
  expect(page).not.toMatch(/<script|<b>/);
  expect(page).toContain('&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;');
  expect(page).toContain('ws://h/&#39;&#38;&#60;b&#62;');
});
