/** Script of an HTML replay: shows steps up to one. Its hash stands in the page's policy. */
export const REPLAY_SCRIPT = `
'use strict';
const steps = [...document.querySelectorAll('article')];
const slider = document.getElementById('at');
const told = document.getElementById('told');
const speed = document.getElementById('speed');
const play = document.getElementById('play');
let at = steps.length;
let timer;
function show(to) {
  const next = Math.max(0, Math.min(steps.length, to));
  for (let i = Math.min(at, next); i < Math.max(at, next); i++) steps[i].hidden = i >= next;
  for (const step of [steps[at - 1], steps[next - 1]]) {
    if (!step) continue;
    step.classList.toggle('now', step === steps[next - 1] && next < steps.length);
  }
  for (const section of document.querySelectorAll('section')) {
    const first = section.querySelector('article');
    section.hidden = first !== null && first.hidden;
  }
  at = next;
  slider.value = at;
  told.textContent = at + ' / ' + steps.length;
  const now = steps[at - 1];
  if (now) now.scrollIntoView({ block: 'nearest' });
}
function stop() {
  clearTimeout(timer);
  timer = undefined;
  play.textContent = '\\u25b6 Play';
}
function go() {
  if (at >= steps.length) return stop();
  show(at + 1);
  // How long to wait was worked out when the page was written; no step is shorter than an eye can follow.
  const wait = at < steps.length ? Number(steps[at].dataset.wait) : 0;
  timer = setTimeout(go, Math.max(120, wait) / Number(speed.value));
}
function toggle() {
  if (timer !== undefined) return stop();
  if (at >= steps.length) show(0);
  play.textContent = '\\u23f8 Pause';
  go();
}
slider.addEventListener('input', () => { stop(); show(Number(slider.value)); });
document.getElementById('back').addEventListener('click', () => { stop(); show(at - 1); });
document.getElementById('next').addEventListener('click', () => { stop(); show(at + 1); });
play.addEventListener('click', toggle);
document.addEventListener('keydown', (event) => {
  if (event.target === slider || event.target.closest('summary,button,select') || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'ArrowLeft') { stop(); show(at - 1); }
  else if (event.key === 'ArrowRight') { stop(); show(at + 1); }
  else if (event.key === ' ') { event.preventDefault(); toggle(); }
});
document.querySelector('nav').hidden = steps.length === 0;
`;
