// The part of WebAssembly that the kernels use. Every runtime has it; the type library without the DOM does not.
declare namespace WebAssembly {
  type ExportValue = ((...args: number[]) => number) | Memory | Global;

  class Module {
    constructor(bytes: ArrayBufferView | ArrayBuffer);
  }

  class Instance {
    constructor(module: Module, imports?: Readonly<Record<string, Readonly<Record<string, unknown>>>>);
    readonly exports: Readonly<Record<string, ExportValue>>;
  }

  class Memory {
    constructor(descriptor: { readonly initial: number; readonly maximum?: number; readonly shared?: boolean });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }

  class Global {
    value: number;
  }

  function compile(bytes: ArrayBufferView | ArrayBuffer): Promise<Module>;
  function validate(bytes: ArrayBufferView | ArrayBuffer): boolean;
}
