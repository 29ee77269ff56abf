/** A text that was made of another, with the place of each of its characters there. */
export class MappedText {
  text = "";
  /** Beside the characters: places in the text that it was made of, ascending. */
  from: number[] = [];
  /** Beside the characters. */
  isCode: boolean[] = [];

  /** **Shape** characters of the same length stand one for one; others stand at the first place. */
  append(text: string, from: number, length: number, isCode: boolean): void {
    for (let at = 0; at < text.length; at += 1) {
      this.from.push(text.length === length ? from + at : from);
      this.isCode.push(isCode);
    }
    this.text += text;
  }

  /** Takes the first characters off. */
  take(length: number): MappedText {
    const taken = new MappedText();
    taken.text = this.text.slice(0, length);
    taken.from = this.from.splice(0, length);
    taken.isCode = this.isCode.splice(0, length);
    this.text = this.text.slice(length);
    return taken;
  }

  /** Puts another text in place of a stretch. **Shape** it is code where the stretch was code, or both of its neighbours are. */
  replace(start: number, end: number, text: string): void {
    const isKept = text.length === end - start;
    const at = this.from[start] ?? this.from[start - 1] ?? 0;
    const from = isKept ? this.from.slice(start, end) : Array.from(text, () => at);
    this.text = this.text.slice(0, start) + text + this.text.slice(end);
    this.from.splice(start, end - start, ...from);
    const around = start < end ? this.isCode.slice(start, end) : [this.isCode[start - 1], this.isCode[start]];
    const isCode = around.every((each) => each === true);
    this.isCode.splice(start, end - start, ...Array.from({ length: text.length }, () => isCode));
  }
}
