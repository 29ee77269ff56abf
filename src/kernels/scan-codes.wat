;; Sums of products of 8-bit codes of some rows and one query of 16-bit codes: what the rows are bounded by that sift-codes.wat lets through, or
;; all of them where that cannot run.
;;
;; `scripts/build-kernels.ts` makes scan-codes-module.ts of this; a test assembles it again and compares. `dotCodes` says the same in TypeScript.
(module
  (memory (export "memory") 1)

  ;; The sums of $count rows, whose numbers are at $list, are written to $sums. $stride is a multiple of 32, and the caller sees to it that no
  ;; sum leaves 32 bits. The first $woven rows are woven, see sift-codes.wat: of theirs, every next 16 codes are 64 bytes on, not 16.
  (func (export "sum")
    (param $list i32) (param $count i32) (param $codes i32) (param $stride i32) (param $woven i32) (param $query i32) (param $sums i32)
    (local $row i32) (local $at i32) (local $step i32) (local $against i32) (local $end i32) (local $even v128) (local $odd v128)
    local.get $query  local.get $stride  i32.const 1  i32.shl  i32.add  local.set $end
    block $summed
      loop $next
        local.get $count  i32.eqz  br_if $summed
        local.get $count  i32.const 1  i32.sub  local.set $count
        local.get $list  i32.load  local.set $row

        i32.const 16  local.set $step
        local.get $codes  local.get $row  local.get $stride  i32.mul  i32.add  local.set $at
        block $whole
          local.get $row  local.get $woven  i32.ge_u  br_if $whole
          i32.const 64  local.set $step
          local.get $codes  local.get $row  i32.const -4  i32.and  local.get $stride  i32.mul  i32.add
          local.get $row  i32.const 3  i32.and  i32.const 4  i32.shl  i32.add  local.set $at
        end

        local.get $query  local.set $against
        v128.const i64x2 0 0  local.set $even
        v128.const i64x2 0 0  local.set $odd
        loop $pieces
          local.get $at  v128.load8x8_s           local.get $against  v128.load            i32x4.dot_i16x8_s
          local.get $even  i32x4.add  local.set $even
          local.get $at  v128.load8x8_s offset=8  local.get $against  v128.load offset=16  i32x4.dot_i16x8_s
          local.get $odd  i32x4.add  local.set $odd
          local.get $at  local.get $step  i32.add  local.set $at
          local.get $at  v128.load8x8_s           local.get $against  v128.load offset=32  i32x4.dot_i16x8_s
          local.get $even  i32x4.add  local.set $even
          local.get $at  v128.load8x8_s offset=8  local.get $against  v128.load offset=48  i32x4.dot_i16x8_s
          local.get $odd  i32x4.add  local.set $odd
          local.get $at  local.get $step  i32.add  local.set $at
          local.get $against  i32.const 64  i32.add  local.tee $against
          local.get $end  i32.lt_u  br_if $pieces
        end

        local.get $even  local.get $odd  i32x4.add  local.set $even
        local.get $sums
        local.get $even  i32x4.extract_lane 0
        local.get $even  i32x4.extract_lane 1  i32.add
        local.get $even  i32x4.extract_lane 2  i32.add
        local.get $even  i32x4.extract_lane 3  i32.add
        i32.store
        local.get $list  i32.const 4  i32.add  local.set $list
        local.get $sums  i32.const 4  i32.add  local.set $sums
        br $next
      end
    end
  )
)
