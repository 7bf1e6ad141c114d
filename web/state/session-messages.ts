/** Messages between the tabs of one browser. They carry no data: each tab asks the server who is signed in. */

const CHANNEL = 'callsheet.session';

/** Tells the other tabs that the user has signed in. */
export function announceSignIn(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('signed-in');
  channel.close();
}

/** Calls `listener` when another tab has signed in. Returns a function that unsubscribes. */
export function onSignIn(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = () => listener();
  return () => channel.close();
}
