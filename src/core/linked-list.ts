/** What is in a list knows its neighbours. A member is in one list at most. */
type Linked<Member> = { before: Member | null; behind: Member | null };

/**
 * Members in the order in which they came, each of which can leave at any time. They are linked to each other and not kept in a
 * collection: a set or map that lives for ever and changes with every request makes the garbage collector keep what has ended.
 */
export class LinkedList<Member extends Linked<Member>> {
  first: Member | null = null;
  size = 0;
  #last: Member | null = null;

  add(member: Member): void {
    member.before = this.#last;
    if (this.#last === null) this.first = member;
    else this.#last.behind = member;
    this.#last = member;
    this.size++;
  }

  /** Only for one that is in it. */
  remove(member: Member): void {
    const { before, behind } = member;
    if (before === null) this.first = behind;
    else before.behind = behind;
    if (behind === null) this.#last = before;
    else behind.before = before;
    // What has left must not keep others alive.
    member.before = null;
    member.behind = null;
    this.size--;
  }
}
