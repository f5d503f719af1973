import { isPage } from './push-notice.ts';

/** Windows that show the page in this folder, those that are seen first. */
export async function pageWindows(
  { clients }: Pick<ServiceWorkerGlobalScope, 'clients'>,
  page: string,
): Promise<readonly WindowClient[]> {
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  const own = windows.filter(({ url }) => isPage(url, page));
  return own.sort((a, b) => Number(b.visibilityState === 'visible') - Number(a.visibilityState === 'visible'));
}

/** A pressed notification of the page's own: tells the page which, and brings it to the front; a page that is gone is opened. */
export async function openNotice(
  worker: Pick<ServiceWorkerGlobalScope, 'clients'>,
  page: string,
  notification: Notification,
): Promise<void> {
  notification.close();
  const [open] = await pageWindows(worker, page);
  if (open === undefined) {
    await worker.clients.openWindow(page);
    return;
  }
  open.postMessage({ type: 'notice', tag: notification.tag });
  await open.focus();
}
