/** A notification of the page's own: what it says, and what it is about; a newer one about the same takes its place. */
export interface Notice {
  readonly title: string;
  readonly tag: string;
}

/** As far as they are needed: what this browser has for notifications, and the page's own service worker. */
export interface NoticePlace {
  readonly Notification: typeof Notification;
  readonly registration: () => Promise<Pick<ServiceWorkerRegistration, 'showNotification'> | undefined>;
}

/**
 * Shows a notification: by the page where browsers let it, else (every phone) by its service worker, which then tells of a press
 * by a message of type `notice` with the tag. Resolves to whether it was shown.
 */
export function showNotice(place: NoticePlace, { title, tag }: Notice, onPress: () => void): Promise<boolean> {
  let notification: Notification;
  try {
    notification = new place.Notification(title, { tag });
  } catch {
    return showByWorker(place, { title, tag });
  }
  notification.onclick = () => {
    notification.close();
    onPress();
  };
  return new Promise((resolve) => {
    notification.onshow = () => resolve(true);
    notification.onerror = () => resolve(false);
  });
}

async function showByWorker(place: NoticePlace, { title, tag }: Notice): Promise<boolean> {
  try {
    const registration = await place.registration();
    await registration?.showNotification(title, { tag, data: { notice: tag } });
    return registration !== undefined;
  } catch {
    return false;
  }
}

/** This browser, for a page in this folder. */
export function noticePlace(page: string): NoticePlace {
  const container = (navigator as Partial<Pick<Navigator, 'serviceWorker'>>).serviceWorker;
  return {
    Notification: globalThis.Notification,
    registration: async () => {
      const registration = await container?.getRegistration(page);
      return registration?.scope === page ? registration : undefined;
    },
  };
}

/** Calls back with the tag when a notification that the service worker showed is pressed, until the returned function is called. */
export function onNoticePress(messages: EventTarget | undefined, press: (tag: string) => void): () => void {
  const hear = (event: Event) => {
    const said = (event as MessageEvent).data as { type?: unknown; tag?: unknown } | null;
    if (said?.type === 'notice' && typeof said.tag === 'string') press(said.tag);
  };
  messages?.addEventListener('message', hear);
  return () => messages?.removeEventListener('message', hear);
}
