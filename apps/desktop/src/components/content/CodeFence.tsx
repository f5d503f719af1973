import type { CodeHighlighterPlugin, HighlightResult } from '@streamdown/code';
import { isValidElement, type ReactElement, type ReactNode, useEffect, useState } from 'react';
import { useIsCodeFenceIncomplete } from 'streamdown';
import { toPlainLine } from '../../text/visible-text.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import { ScrollRegion } from './ScrollRegion.tsx';
import { VisibleText } from './VisibleText.tsx';

/** Longer code is shown in one colour: tokens for it would cost more than they tell. */
const MAX_HIGHLIGHTED_CHARACTERS = 30_000;

/** A fenced block of a message. Its text is what was written; colours come when their grammar has loaded. */
export function CodeFence(props: { readonly children?: ReactNode }) {
  const { code, language } = readFence(props.children);
  const isIncomplete = useIsCodeFenceIncomplete();
  const result = useHighlight(code, language, isIncomplete);
  return (
    <div className="frame" data-testid="code-block">
      <div className="bar">
        <span>{language === '' ? 'text' : toPlainLine(language, 40)}</span>
        <CopyButton text={() => code} label="Copy this code" />
      </div>
      <ScrollRegion className="code max-h-[32rem]" label="Code">
        {result === undefined ? <VisibleText text={code} multiline max={200_000} /> : <Tokens result={result} />}
      </ScrollRegion>
    </div>
  );
}

function Tokens({ result }: { readonly result: HighlightResult }) {
  return (
    <>
      {result.tokens.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one fixed text
        <span key={at}>
          {at > 0 && '\n'}
          {line.map((token) => (
            <span key={token.offset} style={{ color: token.htmlStyle?.color ?? token.color }}>
              <VisibleText text={token.content} multiline />
            </span>
          ))}
        </span>
      ))}
    </>
  );
}

function readFence(children: ReactNode): { readonly code: string; readonly language: string } {
  if (!isValidElement(children)) return { code: '', language: '' };
  const { className = '', children: text } = (children as ReactElement<{ className?: string; children?: ReactNode }>)
    .props;
  const code = Array.isArray(text) ? text.join('') : typeof text === 'string' ? text : '';
  return { code: code.replace(/\n$/, ''), language: /language-(\S+)/.exec(className)?.[1] ?? '' };
}

let highlighter: Promise<CodeHighlighterPlugin> | undefined;

/** Shiki and its grammars are large: they load with the first block that wants them. */
function loadHighlighter(): Promise<CodeHighlighterPlugin> {
  highlighter ??= Promise.all([import('@streamdown/code'), import('./code-theme.ts')]).then(
    ([{ createCodePlugin }, { codeTheme }]) => createCodePlugin({ themes: [codeTheme, codeTheme] }),
  );
  return highlighter;
}

function useHighlight(code: string, language: string, isIncomplete: boolean): HighlightResult | undefined {
  const [shown, setShown] = useState<{ code: string; result: HighlightResult }>();
  useEffect(() => {
    if (language === '' || code.length > MAX_HIGHLIGHTED_CHARACTERS) return undefined;
    let isCurrent = true;
    loadHighlighter()
      .then((plugin) => {
        const name = language as Parameters<CodeHighlighterPlugin['supportsLanguage']>[0];
        if (!isCurrent || !plugin.supportsLanguage(name)) return;
        const take = (result: HighlightResult) => {
          if (isCurrent) setShown({ code, result });
        };
        const ready = plugin.highlight({ code, language: name, themes: plugin.getThemes(), isIncomplete }, take);
        if (ready !== null) take(ready);
      })
      // Without colours the code is as readable as the terminal it came from.
      .catch(() => undefined);
    return () => {
      isCurrent = false;
    };
  }, [code, language, isIncomplete]);
  // While a block is written the colours lag by one update: those of its beginning still hold.
  return shown?.code === code ? shown.result : undefined;
}
