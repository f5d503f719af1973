declare function queueMicrotask(run: () => void): void;
