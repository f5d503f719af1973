import { createCssVariablesTheme } from 'shiki/core';

/** Code in the page's own tokens, so that one theme serves light and dark. */
export const codeTheme = createCssVariablesTheme({ name: 'heliograph', variablePrefix: '--shiki-' });
