;; Sums of impacts over one window of chunks, and the chunks whose sum reaches a number.
;;
;; `scripts/build-kernels.ts` makes sum-impacts-module.ts of this; a test assembles it again and compares. `createPlainSums` in
;; impact-sums.ts says the same in TypeScript.
(module
  (memory (export "memory") 9)

  ;; Adds $unit times the high 16 bits of each entry to the sum at its low 16 bits.
  (func (export "add") (param $entries i32) (param $end i32) (param $unit f32) (param $sums i32)
    (local $entry i32) (local $sum i32)
    block $done
      loop $next
        local.get $entries  local.get $end  i32.ge_u  br_if $done
        local.get $entries  i32.load  local.tee $entry
        i32.const 65535  i32.and  i32.const 2  i32.shl  local.get $sums  i32.add  local.tee $sum
        local.get $sum  f32.load
        local.get $unit  local.get $entry  i32.const 16  i32.shr_u  f32.convert_i32_u  f32.mul  f32.add
        f32.store
        local.get $entries  i32.const 4  i32.add  local.set $entries
        br $next
      end
    end
  )

  ;; Writes the places from $at to $end whose sum is $least or more, end to end; the result points behind the last one. Both are multiples of 4.
  (func (export "sift") (param $sums i32) (param $at i32) (param $end i32) (param $least f32) (param $found i32) (result i32)
    (local $bound v128) (local $mask i32) (local $from i32)
    local.get $least  f32x4.splat  local.set $bound
    local.get $sums  local.get $at  i32.const 2  i32.shl  i32.add  local.set $from
    block $done
      loop $next
        local.get $at  local.get $end  i32.ge_u  br_if $done
        block $none
          local.get $from  v128.load  local.get $bound  f32x4.ge  i32x4.bitmask  local.tee $mask
          i32.eqz  br_if $none
          local.get $found  local.get $at  i32.store
          local.get $found  local.get $mask  i32.const 1  i32.and  i32.const 2  i32.shl  i32.add  local.set $found
          local.get $found  local.get $at  i32.const 1  i32.add  i32.store
          local.get $found  local.get $mask  i32.const 2  i32.and  i32.const 1  i32.shl  i32.add  local.set $found
          local.get $found  local.get $at  i32.const 2  i32.add  i32.store
          local.get $found  local.get $mask  i32.const 4  i32.and  i32.add  local.set $found
          local.get $found  local.get $at  i32.const 3  i32.add  i32.store
          local.get $found  local.get $mask  i32.const 8  i32.and  i32.const 1  i32.shr_u  i32.add  local.set $found
        end
        local.get $at  i32.const 4  i32.add  local.set $at
        local.get $from  i32.const 16  i32.add  local.set $from
        br $next
      end
    end
    local.get $found
  )
)
