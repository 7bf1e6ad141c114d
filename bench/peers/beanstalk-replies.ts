/** A reply of beanstalkd: its words, and the body of a reserved job. */
export interface BeanstalkReply {
  readonly words: readonly string[];
  readonly body: string;
}

/** Parses replies from the received data, however it is split. */
export class BeanstalkReplies {
  private pending = '';

  /** Returns the replies that are complete now. Job bodies are ASCII here. */
  take(chunk: string): BeanstalkReply[] {
    this.pending += chunk;
    const replies: BeanstalkReply[] = [];
    let at = 0;
    for (;;) {
      const lineEnd = this.pending.indexOf('\r\n', at);
      if (lineEnd < 0) break;
      const words = this.pending.slice(at, lineEnd).split(' ');
      let next = lineEnd + 2;
      let body = '';
      if (words[0] === 'RESERVED') {
        const bodyEnd = next + Number(words[2]);
        if (this.pending.length < bodyEnd + 2) break;
        body = this.pending.slice(next, bodyEnd);
        next = bodyEnd + 2;
      }
      replies.push({ words, body });
      at = next;
    }
    this.pending = this.pending.slice(at);
    return replies;
  }
}
