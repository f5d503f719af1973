/** Style of an HTML replay. Its hash stands in the page's policy. */
export const REPLAY_STYLE = `
:root{color-scheme:light dark;--ground:#fbfaf8;--card:#fff;--ink:#1d1b18;--soft:#66615a;--line:#e2ded7;--mark:#9a5b00;--bad:#b3261e;--user:#f1ece2}
@media (prefers-color-scheme:dark){:root{--ground:#161513;--card:#1f1d1b;--ink:#ece8e1;--soft:#a49d92;--line:#37332e;--mark:#e8a848;--bad:#ff8a80;--user:#2a2723}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
header,main{max-width:56rem;margin:0 auto;padding:1rem}
main{padding-bottom:6rem}
h1{font-size:1.4rem;margin:.5rem 0}
h2{font-size:.8rem;font-weight:400;color:var(--soft);margin:1.6rem 0 .5rem;border-top:1px solid var(--line);padding-top:.6rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .8rem;margin:0;font-size:.85rem}
dt{color:var(--soft)}
dd{margin:0}
article{border:1px solid var(--line);border-radius:8px;background:var(--card);padding:.5rem .75rem;margin:.5rem 0;scroll-margin:5rem;unicode-bidi:isolate}
article.user{background:var(--user)}
article.thought,article.note{border-style:dashed;color:var(--soft)}
article.permission{border-color:var(--mark)}
article.error{border-color:var(--bad)}
article.now{outline:2px solid var(--mark);outline-offset:1px}
article>p{margin:0;font-size:.9rem}
time{color:var(--soft);font-size:.75rem;font-variant-numeric:tabular-nums}
pre{margin:.4rem 0 0;font:13px/1.45 ui-monospace,monospace;white-space:pre-wrap;max-height:32rem;overflow:auto;unicode-bidi:plaintext;font-variant-ligatures:none}
article.user pre,article.agent pre{font:inherit;max-height:none}
summary{font-size:.8rem;color:var(--soft);cursor:pointer;margin-top:.3rem;padding:.2rem 0}
nav{position:fixed;inset:auto 0 0;display:flex;gap:.5rem;align-items:center;padding:.5rem 1rem;background:var(--card);border-top:1px solid var(--line)}
nav[hidden]{display:none}
nav input{flex:1;min-width:3rem;accent-color:var(--mark)}
nav output{font-size:.8rem;font-variant-numeric:tabular-nums;color:var(--soft);white-space:nowrap}
button,select{min-width:44px;min-height:44px;border:1px solid var(--line);border-radius:8px;background:var(--ground);color:var(--ink);font:inherit;white-space:nowrap}
:focus-visible{outline:2px solid var(--mark);outline-offset:1px}
article[hidden],section[hidden]{display:none}
@media print{nav{display:none}pre{max-height:none}}
`;
