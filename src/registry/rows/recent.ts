/** A few things that were read lately. Past `most`, the one that was put first is forgotten. */
export class Recent<Name, Thing> {
  readonly #things = new Map<Name, Thing>()

  constructor(readonly most: number) {}

  find(name: Name): Thing | undefined {
    return this.#things.get(name)
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
