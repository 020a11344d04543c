/** The few things that were asked for last. What is past `most` is forgotten, the one asked for least recently first. */
export class Recent<Name, Thing> {
  readonly #things = new Map<Name, Thing>()

  constructor(readonly most: number) {}

  find(name: Name): Thing | undefined {
    const thing = this.#things.get(name)
    if (thing === undefined) return undefined
    this.#things.delete(name)
    this.#things.set(name, thing)
    return thing
  }

  put(name: Name, thing: Thing): Thing {
    this.#things.set(name, thing)
    if (this.#things.size > this.most) this.#things.delete(this.#things.keys().next().value as Name)
    return thing
  }

  all(): Iterable<[Name, Thing]> {
    return this.#things
  }
}
