;; The first pass of an exact search: 8-bit codes of many rows against one query of 16-bit codes, and which of the rows may matter.
;;
;; `scripts/build-kernels.ts` makes scan-codes-module.ts of this; a test assembles it again and compares. `scanPlainly` in plain-memory.ts says
;; the same in TypeScript, and `CodeMemory.scan` says what it means.
(module
  (memory (export "memory") 1)

  ;; The sums of products of the rows whose flag is set; those of the others stay as they are. $stride is a multiple of 32, and the caller
  ;; sees to it that no sum leaves 32 bits.
  (func (export "sum")
    (param $codes i32) (param $stride i32) (param $rows i32) (param $flags i32) (param $query i32) (param $sums i32)
    (local $end i32) (local $against i32) (local $even v128) (local $odd v128)
    block $summed
      loop $next
        local.get $rows  i32.eqz  br_if $summed
        local.get $rows  i32.const 1  i32.sub  local.set $rows
        local.get $codes  local.get $stride  i32.add  local.set $end
        block $skip
          local.get $flags  i32.load8_u  i32.eqz  br_if $skip
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
          local.get $sums
          local.get $even  i32x4.extract_lane 0
          local.get $even  i32x4.extract_lane 1  i32.add
          local.get $even  i32x4.extract_lane 2  i32.add
          local.get $even  i32x4.extract_lane 3  i32.add
          i32.store
        end
        local.get $end  local.set $codes
        local.get $flags  i32.const 1  i32.add  local.set $flags
        local.get $sums  i32.const 4  i32.add  local.set $sums
        br $next
      end
    end
  )

  ;; The bounds, two rows at a time, and which rows are found. Rows lie end to end, and so do their flags, sums, slopes, residuals and norms; each
  ;; pointer is to that of the first row, whose number is $row. Of each row that is found, number, middle and reach are written end to end; the
  ;; result points behind the last number. The upper bound of every row is written to $uppers in 32 bits. What is computed of rows without a flag,
  ;; or behind the last, is not looked at.
  (func (export "bound")
    (param $row i32) (param $rows i32) (param $flags i32) (param $sums i32)
    (param $slopes i32) (param $residuals i32) (param $norms i32)
    (param $scaled i32) (param $tau f64) (param $more f64) (param $margin f64) (param $shrink f64) (param $bound f64)
    (param $found i32) (param $middles i32) (param $reaches i32) (param $uppers i32) (result i32)
    (local $last i32) (local $mask i32) (local $middle v128) (local $reach v128) (local $upper v128) (local $norm v128)
    local.get $row  local.get $rows  i32.add  local.set $last
    block $done
      loop $pair
        local.get $row  local.get $last  i32.ge_u  br_if $done

        ;; middle = slope * (tau * sum), reach = residual * more + margin
        local.get $slopes  v128.load64_zero  f64x2.promote_low_f32x4
        local.get $tau  f64x2.splat  local.get $sums  v128.load64_zero  f64x2.convert_low_i32x4_s  f64x2.mul  f64x2.mul
        local.set $middle
        local.get $residuals  v128.load64_zero  f64x2.promote_low_f32x4  local.get $more  f64x2.splat  f64x2.mul
        local.get $margin  f64x2.splat  f64x2.add  local.set $reach

        ;; upper = middle + reach; scaled: norm * upper - norm * norm * shrink
        local.get $middle  local.get $reach  f64x2.add  local.set $upper
        block $plain
          local.get $scaled  i32.eqz  br_if $plain
          local.get $norms  v128.load  local.tee $norm  local.get $upper  f64x2.mul
          local.get $norm  local.get $norm  f64x2.mul  local.get $shrink  f64x2.splat  f64x2.mul  f64x2.sub  local.set $upper
        end
        local.get $uppers  local.get $upper  f32x4.demote_f64x2_zero  f64x2.extract_lane 0  f64.store
        local.get $upper  local.get $bound  f64x2.splat  f64x2.ge  i64x2.bitmask  local.set $mask

        block $neither
          local.get $mask  i32.eqz  br_if $neither
          block $skip0
            local.get $mask  i32.const 1  i32.and  i32.eqz  br_if $skip0
            local.get $row  i32.const 0  i32.add  local.get $last  i32.ge_u  br_if $skip0
            local.get $flags  i32.load8_u offset=0  i32.eqz  br_if $skip0
            local.get $found  local.get $row  i32.const 0  i32.add  i32.store
            local.get $middles  local.get $middle  f64x2.extract_lane 0  f64.store
            local.get $reaches  local.get $reach  f64x2.extract_lane 0  f64.store
            local.get $found  i32.const 4  i32.add  local.set $found
            local.get $middles  i32.const 8  i32.add  local.set $middles
            local.get $reaches  i32.const 8  i32.add  local.set $reaches
          end
          block $skip1
            local.get $mask  i32.const 2  i32.and  i32.eqz  br_if $skip1
            local.get $row  i32.const 1  i32.add  local.get $last  i32.ge_u  br_if $skip1
            local.get $flags  i32.load8_u offset=1  i32.eqz  br_if $skip1
            local.get $found  local.get $row  i32.const 1  i32.add  i32.store
            local.get $middles  local.get $middle  f64x2.extract_lane 1  f64.store
            local.get $reaches  local.get $reach  f64x2.extract_lane 1  f64.store
            local.get $found  i32.const 4  i32.add  local.set $found
            local.get $middles  i32.const 8  i32.add  local.set $middles
            local.get $reaches  i32.const 8  i32.add  local.set $reaches
          end
        end
        local.get $row  i32.const 2  i32.add  local.set $row
        local.get $flags  i32.const 2  i32.add  local.set $flags
        local.get $sums  i32.const 8  i32.add  local.set $sums
        local.get $slopes  i32.const 8  i32.add  local.set $slopes
        local.get $residuals  i32.const 8  i32.add  local.set $residuals
        local.get $norms  i32.const 16  i32.add  local.set $norms
        local.get $uppers  i32.const 8  i32.add  local.set $uppers
        br $pair
      end
    end
    local.get $found
  )
)
