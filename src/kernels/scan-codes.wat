;; The first pass of an exact search: 8-bit codes of many rows against one query of 16-bit codes.
;;
;; `scripts/build-kernels.ts` makes scan-codes-module.ts of this; a test assembles it again and compares.
(module
  (memory (export "memory") 1)

  ;; For each of `rows` rows whose byte at `flags` is not 0: the sum of products of the `stride` bytes at `codes` and the `stride` 16-bit
  ;; numbers at `query`, as a 32-bit number at `out`. Rows, flags and sums lie end to end; the sums of other rows stay as they are.
  ;; `stride` is a multiple of 32, and the caller sees to it that no sum leaves 32 bits.
  (func (export "scan")
    (param $codes i32) (param $stride i32) (param $rows i32) (param $flags i32) (param $query i32) (param $out i32)
    (local $end i32) (local $against i32) (local $even v128) (local $odd v128)
    block $done
      loop $row
        local.get $rows  i32.eqz  br_if $done
        local.get $rows  i32.const 1  i32.sub  local.set $rows
        local.get $codes  local.get $stride  i32.add  local.set $end
        block $next
          local.get $flags  i32.load8_u  i32.eqz  br_if $next
          local.get $query  local.set $against
          v128.const i64x2 0 0  local.set $even
          v128.const i64x2 0 0  local.set $odd
          loop $step
            local.get $codes  v128.load8x8_s            local.get $against  v128.load            i32x4.dot_i16x8_s
            local.get $even  i32x4.add  local.set $even
            local.get $codes  v128.load8x8_s offset=8   local.get $against  v128.load offset=16  i32x4.dot_i16x8_s
            local.get $odd  i32x4.add  local.set $odd
            local.get $codes  v128.load8x8_s offset=16  local.get $against  v128.load offset=32  i32x4.dot_i16x8_s
            local.get $even  i32x4.add  local.set $even
            local.get $codes  v128.load8x8_s offset=24  local.get $against  v128.load offset=48  i32x4.dot_i16x8_s
            local.get $odd  i32x4.add  local.set $odd
            local.get $against  i32.const 64  i32.add  local.set $against
            local.get $codes  i32.const 32  i32.add  local.tee $codes
            local.get $end  i32.lt_u  br_if $step
          end
          local.get $even  local.get $odd  i32x4.add  local.set $even
          local.get $out
          local.get $even  i32x4.extract_lane 0
          local.get $even  i32x4.extract_lane 1  i32.add
          local.get $even  i32x4.extract_lane 2  i32.add
          local.get $even  i32x4.extract_lane 3  i32.add
          i32.store
        end
        local.get $end  local.set $codes
        local.get $flags  i32.const 1  i32.add  local.set $flags
        local.get $out  i32.const 4  i32.add  local.set $out
        br $row
      end
    end
  )
)
